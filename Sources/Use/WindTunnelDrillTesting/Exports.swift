@_exported public import WindTunnelTesting

// The additional types for a test with a drill: the drill, its observations, and the error of gates
// that are not met.
@_exported public import struct WindTunnelDrill.Drill
@_exported public import struct WindTunnelFindings.Observation
@_exported public import struct WindTunnelReports.GatesNotMet
