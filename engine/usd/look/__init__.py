"""Reading of what is drawn: meshes, surfaces and animations of a stage."""
