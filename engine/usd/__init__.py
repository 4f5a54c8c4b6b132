"""USD in, USD out: the attribute table, the reader and the writer; degrees and stage units live and die here."""
