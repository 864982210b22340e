"""What is looked at before and after publishing: the gate, the trial on a sample, the self-check of a release."""
