import numpy as np


def collision_pairs(scene):
    c=scene.colliders
    out=[]
    for i in range(len(c)):
        for j in range(i+1,len(c)):
            if c[i].body==c[j].body: continue
            out.append((i,j))
    return np.array(out,int).reshape(-1,2)
