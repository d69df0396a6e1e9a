// Stands for a style or a picture, which nothing looks at here.
export default '';
