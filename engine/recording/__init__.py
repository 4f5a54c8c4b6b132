"""What a simulation did: its frames, in memory or on disk, and the joint logs made of them."""
