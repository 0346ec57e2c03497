// A search needs a drill, and its fault sets have task orders.

@_exported public import WindTunnelDrill
@_exported public import WindTunnelVirtualTime
