// What the commands stand on, imported once for all of them: nobody imports a program.

@_exported public import Foundation
@_exported public import WindTunnelCommandLine
@_exported public import WindTunnelDrill
@_exported public import WindTunnelHAR
@_exported public import WindTunnelMutants
@_exported public import WindTunnelRelease
@_exported public import WindTunnelServer
