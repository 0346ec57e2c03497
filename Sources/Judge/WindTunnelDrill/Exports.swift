// Clients of the drill read the report.

@_exported public import WindTunnelReports
