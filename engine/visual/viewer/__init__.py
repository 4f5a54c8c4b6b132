"""Looking at motions and running simulations in a browser."""
