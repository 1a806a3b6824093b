package session

import "slices"

// Clone returns a copy that shares nothing with p.
func (p Profile) Clone() Profile {
	p.VerifiedStates, p.VerifiedOutputModes = slices.Clone(p.VerifiedStates), slices.Clone(p.VerifiedOutputModes)
	p.AcceptedInputModes, p.RefusedInputModes = slices.Clone(p.AcceptedInputModes), slices.Clone(p.RefusedInputModes)
	return p
}
