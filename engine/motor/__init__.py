"""Performance envelopes of motors, from data sheets and from measurements."""
