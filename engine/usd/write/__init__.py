"""Writing of motions over a stage: animated attributes, layers, value clips and point instancers."""
