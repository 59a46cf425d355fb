"""3x3 convolutions by Winograd's minimal filtering: what lies before and after the products."""
