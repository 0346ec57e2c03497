// The one import of a test.
@_exported public import WindTunnel
@_exported public import WindTunnelURLSession
