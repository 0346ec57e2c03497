// One import is enough: a module exports the modules that its API uses.

@_exported public import WindTunnelHTTP
