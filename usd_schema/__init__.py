"""USD schemas: our own, and the registration of PhysX's and Newton's."""
