"""A sitecustomize of the program's own."""

print("sitecustomize ran")
