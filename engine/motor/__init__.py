"""What a motor can do: performance envelopes, out of data sheets and out of measurements."""
