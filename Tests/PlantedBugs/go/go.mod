module planted

go 1.19
