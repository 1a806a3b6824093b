package session

// Every sets how far apart the first checkpoints lie, and how many are kept.
func (c *Checkpoints) Every(records uint64, most int) { c.every, c.most = records, most }

// Room sets how many exchanges may be in all copies.
func (c *Checkpoints) Room(exchanges int) { c.room = exchanges }

// Kept is how many checkpoints there are.
func (c *Checkpoints) Kept() int { return len(c.kept) }
