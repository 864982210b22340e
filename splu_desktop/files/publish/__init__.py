"""Publishing: the gate on the files, the order of what is done, the folder that appears whole or not at all."""
