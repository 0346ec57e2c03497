module careful

go 1.19
