package personal

// Version is raised by every change of what [Find] finds, so that a model which was
// trained on texts that were masked by it is served with the same.
const Version = "2"
