package a2a

import "strings"

// key is a member name that the decoder knows, whatever its spelling. The zero
// value is a name that it does not know.
type key uint8

// The known names, in the specification's own spelling in keyNames below.
const (
	kUnknown key = iota
	// Envelopes and errors.
	kJSONRPC
	kID
	kMethod
	kParams
	kResult
	kError
	kErrorDescription
	kCode
	kMessage
	kData
	kDetails
	kStatus
	kReason
	kDomain
	kAtType
	kTitle
	kDetail
	kType
	kKind
	// Unions, tasks, messages and parts.
	kTask
	kMsg
	kStatusUpdate
	kArtifactUpdate
	kTaskID
	kContextID
	kSessionID
	kRunID
	kState
	kTimestamp
	kFinal
	kArtifact
	kArtifacts
	kHistory
	kMetadata
	kParts
	kContent
	kRole
	kMessageID
	kText
	kFile
	kRaw
	kURL
	kMediaType
	kMimeType
	kContentType
	kFilename
	kName
	kBytes
	kURI
	kFileWithBytes
	kFileWithURI
	kArtifactID
	kIndex
	kAppend
	kLastChunk
	kTasks
	kNextPageToken
	kTotalSize
	kConfigs
	kConfig
	kPushNotificationConfig
	kPushNotification
	kToken
	kAuthentication
	kSchemes
	kScheme
	kCredentials
	kPollHintSeconds
	kPollIntervalMs
	kDataPartCompat
	kValue
	kRequest
	kSeconds
	kNanos
	// Cards.
	kDescription
	kVersion
	kProvider
	kOrganization
	kProtocolVersion
	kSupportedInterfaces
	kProtocolBinding
	kTenant
	kPreferredTransport
	kAdditionalInterfaces
	kTransport
	kCapabilities
	kStreaming
	kPushNotifications
	kStateTransitionHistory
	kExtendedAgentCard
	kSupportsExtendedCard
	kExtensions
	kDefaultInputModes
	kDefaultOutputModes
	kSkills
	kTags
	kExamples
	kInputModes
	kOutputModes
	kSecuritySchemes
	kSecurity
	kSecurityRequirements
	kSignatures
	kDefaultTimeout
	kRequired
	kList
	kFlows
	kAuthorizationCode
	kClientCredentials
	kDeviceCode
	kImplicit
	kPassword
	kAuthorizationURL
	kTokenURL
	kDeviceAuthorizationURL
	kScopes
	kOpenIDConnectURL
	kIn
	kLocation
	kAPIKeyScheme
	kHTTPAuthScheme
	kOAuth2Scheme
	kOpenIDConnectScheme
	kMTLSScheme
	kAPIKey
	kHTTP
	kHTTPAuth
	kOAuth2
	kOpenIDConnect
	kMTLS
	kMutualTLS
	kIconURL
	kDocumentationURL
	kBearerFormat
	kKeyCount
)

// keyNames gives each key the spelling of the specification.
var keyNames = [kKeyCount]string{
	kJSONRPC: "jsonrpc", kID: "id", kMethod: "method", kParams: "params", kResult: "result",
	kError: "error", kErrorDescription: "error_description", kCode: "code", kMessage: "message",
	kData: "data", kDetails: "details", kStatus: "status", kReason: "reason", kDomain: "domain",
	kAtType: "@type", kTitle: "title", kDetail: "detail", kType: "type", kKind: "kind",
	kTask: "task", kMsg: "msg", kStatusUpdate: "statusUpdate", kArtifactUpdate: "artifactUpdate",
	kTaskID: "taskId", kContextID: "contextId", kSessionID: "sessionId", kRunID: "runId",
	kState: "state", kTimestamp: "timestamp", kFinal: "final", kArtifact: "artifact",
	kArtifacts: "artifacts", kHistory: "history", kMetadata: "metadata", kParts: "parts",
	kContent: "content", kRole: "role", kMessageID: "messageId", kText: "text", kFile: "file",
	kRaw: "raw", kURL: "url", kMediaType: "mediaType", kMimeType: "mimeType",
	kContentType: "contentType", kFilename: "filename", kName: "name", kBytes: "bytes", kURI: "uri",
	kFileWithBytes: "fileWithBytes", kFileWithURI: "fileWithUri", kArtifactID: "artifactId",
	kIndex: "index", kAppend: "append", kLastChunk: "lastChunk", kTasks: "tasks",
	kNextPageToken: "nextPageToken", kTotalSize: "totalSize", kConfigs: "configs", kConfig: "config",
	kPushNotificationConfig: "pushNotificationConfig", kPushNotification: "pushNotification",
	kToken: "token", kAuthentication: "authentication", kSchemes: "schemes", kScheme: "scheme",
	kCredentials: "credentials", kPollHintSeconds: "poll_hint_seconds", kPollIntervalMs: "pollIntervalMs",
	kDataPartCompat: "data_part_compat", kValue: "value", kRequest: "request", kSeconds: "seconds",
	kNanos: "nanos", kDescription: "description", kVersion: "version", kProvider: "provider",
	kOrganization: "organization", kProtocolVersion: "protocolVersion",
	kSupportedInterfaces: "supportedInterfaces", kProtocolBinding: "protocolBinding", kTenant: "tenant",
	kPreferredTransport: "preferredTransport", kAdditionalInterfaces: "additionalInterfaces",
	kTransport: "transport", kCapabilities: "capabilities", kStreaming: "streaming",
	kPushNotifications: "pushNotifications", kStateTransitionHistory: "stateTransitionHistory",
	kExtendedAgentCard: "extendedAgentCard", kSupportsExtendedCard: "supportsAuthenticatedExtendedCard",
	kExtensions: "extensions", kDefaultInputModes: "defaultInputModes",
	kDefaultOutputModes: "defaultOutputModes", kSkills: "skills", kTags: "tags", kExamples: "examples",
	kInputModes: "inputModes", kOutputModes: "outputModes", kSecuritySchemes: "securitySchemes",
	kSecurity: "security", kSecurityRequirements: "securityRequirements", kSignatures: "signatures",
	kDefaultTimeout: "defaultTimeout", kRequired: "required", kList: "list", kFlows: "flows",
	kAuthorizationCode: "authorizationCode", kClientCredentials: "clientCredentials",
	kDeviceCode: "deviceCode", kImplicit: "implicit", kPassword: "password",
	kAuthorizationURL: "authorizationUrl", kTokenURL: "tokenUrl",
	kDeviceAuthorizationURL: "deviceAuthorizationUrl", kScopes: "scopes",
	kOpenIDConnectURL: "openIdConnectUrl", kIn: "in", kLocation: "location",
	kAPIKeyScheme: "apiKeySecurityScheme", kHTTPAuthScheme: "httpAuthSecurityScheme",
	kOAuth2Scheme: "oauth2SecurityScheme", kOpenIDConnectScheme: "openIdConnectSecurityScheme",
	kMTLSScheme: "mtlsSecurityScheme", kAPIKey: "apiKey", kHTTP: "http", kHTTPAuth: "httpAuth",
	kOAuth2: "oauth2", kOpenIDConnect: "openIdConnect", kMTLS: "mtls", kMutualTLS: "mutualTLS",
	kIconURL: "iconUrl", kDocumentationURL: "documentationUrl", kBearerFormat: "bearerFormat",
}

// exactKeys finds a key by the specification's spelling, foldedKeys by its
// letters alone: lower case, without underscores and hyphens.
var exactKeys, foldedKeys = buildKeys()

func buildKeys() (exact, folded map[string]key) {
	exact, folded = make(map[string]key, kKeyCount), make(map[string]key, kKeyCount)
	for k := kUnknown + 1; k < kKeyCount; k++ {
		exact[keyNames[k]] = k
		folded[foldName(keyNames[k])] = k
	}
	return exact, folded
}

// foldName leaves the letters of a name: "task_id", "TaskID" and "taskId" are
// one name on a second look.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-':
			return -1
		case r >= 'A' && r <= 'Z':
			return r + ('a' - 'A')
		}
		return r
	}, name)
}

// longestKey bounds the names that are worth a second look.
const longestKey = 48

// keyOf finds the key of a name as it stands on the wire, quotes included. alt
// reports that the spelling is not the specification's.
func keyOf(quoted []byte) (k key, alt bool) {
	name := quoted[1 : len(quoted)-1]
	if k, ok := exactKeys[string(name)]; ok {
		return k, false
	}
	if len(name) > longestKey {
		return kUnknown, false
	}
	k = foldedKeys[foldName(unquote(quoted))]
	if k == kUnknown {
		return kUnknown, false
	}
	return k, unquote(quoted) != keyNames[k]
}
