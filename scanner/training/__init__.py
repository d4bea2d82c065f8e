"""How the shipped model was made, from data to ONNX (extra ``train``); nothing of it is needed to scan."""
