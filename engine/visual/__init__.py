"""Drawing: what is drawn, motions to look at, pictures, and pages in a browser."""
