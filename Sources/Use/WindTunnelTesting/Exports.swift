@_exported public import WindTunnelURLSession

@_exported public import struct WindTunnel.CassetteExpectation
// The only import for a test of replay and faults. A scoped export exposes one type of a module and
// the members of all its types. It hides the other types' names, which an app may use itself.
@_exported public import class WindTunnel.Deck
@_exported public import enum WindTunnel.Fault
@_exported public import struct WindTunnel.FaultRule
@_exported public import struct WindTunnel.MissingRequest
@_exported public import struct WindTunnel.NamedStub
@_exported public import struct WindTunnel.RequestPattern
@_exported public import struct WindTunnel.Scenario
@_exported public import struct WindTunnel.SentRequest
@_exported public import struct WindTunnel.Stub
@_exported public import struct WindTunnel.StubResponse
@_exported public import struct WindTunnelCassettes.Cassette
@_exported public import struct WindTunnelCassettes.Interaction
@_exported public import struct WindTunnelCassettes.Matcher
@_exported public import struct WindTunnelCore.Lane
@_exported public import struct WindTunnelHTTP.Body
@_exported public import struct WindTunnelHTTP.HeaderFields
@_exported public import struct WindTunnelLink.LinkPreset
@_exported public import struct WindTunnelRedaction.RedactionRules
@_exported public import enum WindTunnelSymptoms.Symptom
