// Who searches has a drill, and its fault sets have orders.

@_exported public import WindTunnelDrill
@_exported public import WindTunnelVirtualTime
