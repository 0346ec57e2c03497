// One import is enough: a module brings along what it stands on.

@_exported public import WindTunnel
