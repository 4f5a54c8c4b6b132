"""`fajin bench`: what is measured, of which robots, beside which peers."""
