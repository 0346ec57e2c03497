// The one import of a test that drills.
@_exported public import WindTunnelDrill
@_exported public import WindTunnelTesting
