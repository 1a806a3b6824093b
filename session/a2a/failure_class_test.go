package a2a

import (
	"fmt"
	"testing"
)

// TestErrorsNamedByClass: the REST servers of the Java SDK name an error by its
// class, with a status that another error may share.
func TestErrorsNamedByClass(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		class  string
		status int
		name   ErrorName
		a2a    bool
		stated bool
	}{
		{"io.a2a.spec.TaskNotFoundError", 404, ErrTaskNotFound, true, true},
		{"io.a2a.spec.TaskNotCancelableError", 409, ErrTaskNotCancelable, true, true},
		{"io.a2a.spec.UnsupportedOperationError", 501, ErrUnsupportedOperation, true, true},
		{"io.a2a.spec.PushNotificationNotSupportedError", 501, ErrPushNotSupported, true, true},
		{"io.a2a.spec.AuthenticatedExtendedCardNotConfiguredError", 404, ErrExtendedCardMissing, true, true},
		{"io.a2a.spec.ContentTypeNotSupportedError", 415, ErrContentTypeNotSupported, true, true},
		{"io.a2a.spec.MethodNotFoundError", 404, ErrMethodNotFound, true, false},
		{"io.a2a.spec.InvalidRequestError", 400, ErrInvalidRequest, true, false},
		{"io.a2a.spec.InternalError", 500, ErrInternal, true, false},
		{"org.a2aproject.sdk.compat03.spec.TaskNotCancelableError_v0_3", 409, ErrTaskNotCancelable, true, true},
		{"TaskNotCancelableError", 409, ErrTaskNotCancelable, true, true},
		// what others say
		{"java.lang.InternalError", 500, ErrInternal, false, false},
		{"InternalError", 500, ErrInternal, false, false},
		{"org.example.gateway.NotFoundError", 404, ErrOther, false, false},
		{"Unauthorized", 401, ErrUnauthenticated, false, false},
		{"a2a.route", 404, ErrOther, false, false},
	} {
		body := fmt.Sprintf(`{"error": %q, "message": "it did not work"}`, tc.class)
		e := Decode(Input{Raw: []byte(body), Op: OpCancel, HTTPStatus: tc.status}).Error
		if e == nil || e.Name != tc.name || e.A2A != tc.a2a || e.Stated() != tc.stated {
			t.Errorf("%s with %d is %+v, want %s (A2A %t, stated %t)", tc.class, tc.status, e, tc.name, tc.a2a, tc.stated)
		}
		if tc.a2a && e != nil && e.Message != "it did not work" {
			t.Errorf("%s: the message is %q", tc.class, e.Message)
		}
	}
}
