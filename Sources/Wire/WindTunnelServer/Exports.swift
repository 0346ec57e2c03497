// What a server is set up with: addresses, limits, TLS and its errors.
@_exported public import WindTunnelWire
