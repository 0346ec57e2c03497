// Who drills reads the report.

@_exported public import WindTunnelHAR
@_exported public import WindTunnelReports
