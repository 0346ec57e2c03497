@_exported public import WindTunnelTesting

// What a test that drills needs beside the import of every test: the drill, what it measures, and
// the error of gates that are not met.
@_exported public import struct WindTunnelDrill.Drill
@_exported public import struct WindTunnelFindings.Observation
@_exported public import struct WindTunnelReports.GatesNotMet
