"""3x3 convolutions by Winograd's minimal filtering: the steps before and after the products."""
