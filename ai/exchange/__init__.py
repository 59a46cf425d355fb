"""Networks and policies in files of other programs: ONNX."""
