// One import is enough: the module re-exports the modules that it builds on.

@_exported public import WindTunnel
@_exported public import WindTunnelFindings
