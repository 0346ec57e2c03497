// Who searches has a drill, and its storms have orders.

@_exported public import WindTunnelDrill
@_exported public import WindTunnelVirtualTime
