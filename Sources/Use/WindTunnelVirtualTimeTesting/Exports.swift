// The one import of a test in virtual time.
@_exported public import WindTunnelVirtualTime
