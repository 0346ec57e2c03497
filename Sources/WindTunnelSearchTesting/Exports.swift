@_exported public import WindTunnelSearch
