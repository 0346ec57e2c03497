// The only import for a test in virtual time.
@_exported public import WindTunnelVirtualTime
