// One import is enough: the module re-exports the module that it builds on.

@_exported public import WindTunnel
