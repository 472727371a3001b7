package data

// What the tests look at inside.
type DataList = dataList
