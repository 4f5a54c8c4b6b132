"""`fajin bench`: speed studies of robots beside other engines."""
