package data

// What the tests look at inside.
type DataGot = dataGot
type DataList = dataList
