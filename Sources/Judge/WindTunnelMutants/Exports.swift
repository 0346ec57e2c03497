// One import is enough: a module exports the modules below it.

@_exported public import WindTunnel
@_exported public import WindTunnelReports
