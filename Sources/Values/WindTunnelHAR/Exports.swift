// One import is enough: a module re-exports the modules that it builds on.

@_exported public import WindTunnelRedaction
