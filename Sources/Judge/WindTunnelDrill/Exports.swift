// Who drills reads the report.

@_exported public import WindTunnelReports
