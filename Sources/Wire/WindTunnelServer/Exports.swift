// The settings of a server: addresses, limits, TLS and its errors.
@_exported public import WindTunnelWire
