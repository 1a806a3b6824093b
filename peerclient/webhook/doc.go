// Package webhook receives push notifications: it listens at an address that
// only the peer was told, answers every delivery at once, and hands on what
// came, exactly as it came. It implements session.Receiver, records and never
// judges.
//
// It reads the connection by itself, as net/http would not show the bytes.
package webhook
