"""Reading of a scene from a stage: articulations, joints, masses, tendons and mimic joints."""
