"""A policy in other forms: a plain network, a Python file that needs numpy alone, an ONNX graph."""
