"""Robots that stand: kinematics of their trees, supports on a ground, poses to stand in and gains that hold them."""
